import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { describe, expect, test } from "vitest"
import { getModels, getProviders } from "../src/index.ts"

const here = fileURLToPath(new URL(".", import.meta.url))

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: here, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    logLevel: "silent",
  })
  return outputFiles[0]!.text
}

/** The providers of the models in a bundle: an id that is a key is a line of a table. */
function providersIn(text: string): Set<string> {
  return new Set(
    getModels()
      .filter(({ id }) => text.includes(`"${id}":`))
      .map(({ provider }) => provider),
  )
}

describe("a bundle", () => {
  test.each(getProviders())(
    "of the subpath of %s has that provider's models, and no other's",
    async (provider) => {
      const text = await bundle(
        `import { ${provider} } from "@heddle/models/${provider}"; console.log(${provider})`,
      )

      const others = getModels().filter((model) => model.provider !== provider)
      const own = new Set<string>(getModels(provider).map(({ id }) => id))
      for (const { id } of getModels(provider)) expect(text).toContain(id)
      for (const { id } of others) if (!own.has(id)) expect(text).not.toContain(`"${id}"`)
    },
  )

  test("of one provider from the root has no other's models either", async () => {
    const text = await bundle(`import { zai } from "@heddle/models"; console.log(zai["glm-5.3"])`)

    expect(providersIn(text)).toEqual(new Set(["zai"]))
  })

  test("of defineModel has no models at all", async () => {
    const text = await bundle(`import { defineModel } from "@heddle/models"; console.log(defineModel)`)

    expect(providersIn(text)).toEqual(new Set())
  })

  test("of getModel has all of them", async () => {
    const text = await bundle(`import { getModel } from "@heddle/models"; console.log(getModel)`)

    expect(providersIn(text)).toEqual(new Set(getProviders()))
  })
})
