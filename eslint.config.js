import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["node_modules", "dist", ".engines", ".local"] },
  {
    files: ["src/**/*.ts", "packages/**/*.ts", "test/**/*.ts", "scripts/**/*.ts", "bench/**/*.ts"],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "no-empty": "error",
      eqeqeq: "error",
      "prefer-const": "error",
      "no-warning-comments": ["error", { terms: ["todo", "fixme", "xxx", "hack"] }],
      "max-lines": ["error", { max: 300, skipBlankLines: false, skipComments: false }],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/await-thenable": "error",
      // what `using` disposes must not be in use any more
      "@typescript-eslint/return-await": ["error", "error-handling-correctness-only"],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/only-throw-error": "error",
      "@typescript-eslint/no-unnecessary-type-assertion": "error",
    },
  },
  {
    files: ["src/**/*.ts", "packages/**/*.ts"],
    ignores: ["**/*.test.ts"],
    rules: { "max-lines-per-function": ["error", { max: 40, skipBlankLines: false, skipComments: false }] },
  },
  {
    // one state machine is the file
    files: ["pinned/pinned", "endpoint/endpoint"].map((name) => `src/programs/proxy/${name}.ts`),
    rules: { "max-lines": ["error", { max: 400, skipBlankLines: false, skipComments: false }] },
  },
  {
    files: ["src/**/*.test.ts", "packages/**/*.test.ts", "packages/*/src/testing/**/*.ts", "test/**/*.ts"],
    rules: {
      "max-lines-per-function": ["error", { max: 60, skipBlankLines: false, skipComments: false }],
      // node:test returns promises that the runner itself awaits; our own functions around it pass them on
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            {
              from: "package",
              name: ["test", "it", "describe", "suite", "before", "after", "beforeEach", "afterEach"],
              package: "node:test",
            },
          ],
        },
      ],
    },
  },
);
