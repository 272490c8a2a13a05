import { describe, expect, test } from "vitest"
import { findPrograms } from "./documented-programs.ts"

describe("a fence in documentation", () => {
  test("is a program when it imports one of our packages, at the line it stands in", () => {
    const text = ["# Loop", "", "```ts", 'import { agentLoop } from "@heddle/loop"', "agentLoop()", "```", ""]

    const [program] = findPrograms({ path: "packages/loop/README.md", text: text.join("\n") })

    expect(program?.path).toBe("packages.loop.README.3.ts")
    expect(program?.text.split("\n").slice(3)).toEqual([
      'import { agentLoop } from "@heddle/loop"',
      "agentLoop()",
      "",
    ])
  })

  test.each([
    { kind: "a fragment", fence: "```ts\nagentLoop()\n```" },
    { kind: "another language", fence: '```sh\necho \'import "x" from "@heddle/loop"\'\n```' },
    {
      kind: "half a program",
      fence: '```ts\nimport { a } from "@heddle/a"\nimport { b } from "./b.ts"\n```',
    },
    { kind: "a sketch", fence: '```ts\nimport { a } from "@heddle/a"\n```\n\n(*sketch*: `b` is yours.)' },
    { kind: "prose after a fence", fence: '```sh\nls\n```\n\nimport { a } from "@heddle/loop"\n' },
  ])("is left alone when it is $kind", ({ fence }) => {
    expect(findPrograms({ path: "README.md", text: fence })).toEqual([])
  })

  test("may be one of several, and stand in a list", () => {
    const fence = '  ```ts\n  import { a } from "@heddle/loop"\n  ```\n'

    expect(findPrograms({ path: "README.md", text: fence + fence }).map(({ path }) => path)).toEqual([
      "README.1.ts",
      "README.4.ts",
    ])
  })
})
