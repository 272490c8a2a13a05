import { routeByApi } from "@heddle/stream"
import { CONFORMANCE_MODEL } from "../src/index.ts"
import { describeStreamFn } from "../src/vitest.ts"
import { inProcess } from "./in-process.ts"

describeStreamFn(
  "routeByApi",
  inProcess((streamFn) => routeByApi({ [CONFORMANCE_MODEL.api]: streamFn })),
)
