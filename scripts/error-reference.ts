import { errorTable, type ErrorCode } from '../src/core/errors.ts'

/** Writes docs/errors.md from the table of error codes. */
export function renderErrorReference(): string {
  const codes = Object.keys(errorTable) as ErrorCode[]
  return `# Errors

<!-- Written by \`npm run docs\` from src/core/error-table.ts. -->

Every error has one of these codes. Over HTTP all errors have one shape. \`errors\` lists the members that are wrong, if there are any:

\`\`\`json
{
  "statusCode": 422,
  "name": "validation_error",
  "message": "to: must be an address: \\"ada\\" has none",
  "errors": [{ "field": "to", "message": "must be an address: \\"ada\\" has none" }]
}
\`\`\`

In the library it is a \`LocalpostError\` with \`code\`, \`status\` and \`errors\`. Branch on the code, never on the message:
messages name the wrong value and what to do, and their wording may change.

The command line prints the codes of a failed start (\`port_in_use\`, \`store_in_use\`, \`store_corrupt\`, …) before the
message. Nothing is ever overwritten because of an error of the data folder.

${codes.map(sectionOf).join('\n')}`
}

function sectionOf(code: ErrorCode): string {
  const { status, meaning, fix } = errorTable[code]
  return `## \`${code}\`

${meaning} ${fix} Status ${status}.
`
}
