import { expect } from '@jest/globals'
import { type MailMatchers, matchers } from '../testing/matchers.ts'

// `expect` of `@jest/globals` and of `@types/jest`; the parameters repeat theirs.
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends MailMatchers {}
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- that of `@types/jest`
  namespace jest {
    // oxlint-disable-next-line typescript/no-empty-object-type -- merged
    interface Matchers<R, T = {}> extends MailMatchers {}
  }
}

expect.extend(matchers)

export type { MailMatchers }
