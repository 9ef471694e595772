import tseslint from "typescript-eslint";

const LITERAL = "Write the members of this literal where it is spread.";
/** A call takes some 100,000 arguments: more, as clients and engines send, end the process. */
const LIST = {
  selector: "CallExpression[callee.property.name=/^(push|unshift)$/] > SpreadElement",
  message: "Add a list in a loop.",
};

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
      // a literal inside another one is written out: to fold it saves lines and hides members
      "no-restricted-syntax": [
        "error",
        { selector: "ObjectExpression > SpreadElement > ObjectExpression", message: LITERAL },
        { selector: "ObjectExpression > SpreadElement > TSAsExpression > ObjectExpression", message: LITERAL },
      ],
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
    rules: {
      "max-lines-per-function": ["error", { max: 40, skipBlankLines: false, skipComments: false }],
      "no-restricted-syntax": [
        "error",
        {
          selector:
            ":matches(ObjectExpression, ArrayExpression) > SpreadElement > :matches(ObjectExpression, ArrayExpression)",
          message: LITERAL,
        },
        {
          selector:
            ":matches(ObjectExpression, ArrayExpression) > SpreadElement > :matches(TSAsExpression, TSSatisfiesExpression) > :matches(ObjectExpression, ArrayExpression)",
          message: LITERAL,
        },
        LIST,
      ],
    },
  },
  {
    // one table or one state machine is the file
    files: [
      "src/core/merge/rules.test.ts",
      "src/core/merge/site.ts",
      "src/core/planner/database/decide.test.ts",
      "src/mechanisms/site/engine-site.ts",
      "src/programs/cli/why/answers.test.ts",
      "src/programs/link/served/site-link.ts",
      "src/programs/proxy/pinned/pinned.ts",
      "test/budgets.ts",
      "test/kit/model/take-over.ts",
    ],
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
