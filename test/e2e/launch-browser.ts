import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { launchOptions } from './browser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the browser of the project. */
    browserEndpoint: string
  }
}

/** Starts one browser for all files of the project, and closes it at the end of the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer(launchOptions())
  project.provide('browserEndpoint', server.wsEndpoint())
  return () => server.close()
}
