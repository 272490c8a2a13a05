import { defineConfig } from "vitest/config"

const major = Number(process.versions.node.split(".")[0])
if (major < 22)
  throw new Error(`Node.js >= 22 is needed, this is ${process.version}: run "npm run setup" first`)

export default defineConfig({
  test: {
    // Property tests and child processes take their time on a busy machine; what hangs is found all the same.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: { provider: "v8", include: ["packages/*/src/**/*.ts"], reporter: ["text", "lcov"] },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "packages/*/test/**/*.test.ts",
            "examples/*/test/**/*.test.ts",
            "test/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          // With LIVE=1 the tests in test/e2e ask the vendors themselves.
          setupFiles: process.env.LIVE === "1" ? [] : ["./scripts/loopback-only.ts"],
          // Tests wait for events, not for time: only a hang takes this long, or a machine with much else to do.
          testTimeout: 30_000,
          hookTimeout: 30_000,
          typecheck: {
            enabled: true,
            include: ["packages/*/test/**/*.test-d.ts"],
            tsconfig: "./tsconfig.json",
          },
        },
      },
    ],
  },
})
