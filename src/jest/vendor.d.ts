// What is used of Jest's own types, which are only there where it is installed. Not part of the build.
declare module 'expect' {
  export interface Matchers<R extends void | Promise<void>, T = unknown> {
    toBe(expected: T): R
  }
}
declare module '@jest/globals' {
  export const expect: { extend(matchers: object): void }
}
