import { defineConfig } from "tsup"
import { base } from "../../tsup.base.ts"

export default defineConfig({ ...base, entry: ["src/index.ts", "src/partial-json.ts", "src/proxy-wire.ts"] })
