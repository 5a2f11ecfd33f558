// What is used of Playwright's own types, which are only there where it is installed. Not part of the build.
declare module '@playwright/test' {
  export interface TestType<TestArgs extends object, WorkerArgs extends object> {
    (title: string, body: (args: TestArgs & WorkerArgs) => Promise<void> | void): void
    extend<T extends object, W extends object = object>(
      fixtures: object,
    ): TestType<TestArgs & T, WorkerArgs & W>
  }
  export interface Expect<Extended> {
    (value: unknown): {
      toMatchSnapshot(name: string, options?: { threshold: number; maxDiffPixels: number }): void
    }
    extend<More extends object>(matchers: More): Expect<Extended & More>
  }
  export interface TestInfo {
    readonly titlePath: string[]
    readonly file: string
    readonly retry: number
    readonly project: { readonly name: string }
    readonly config: { readonly updateSnapshots: string }
    snapshotPath(...path: string[]): string
  }
}
