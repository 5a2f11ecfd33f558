import { defineConfig } from '@playwright/test'

// Playwright's own browser, unless CHROMIUM_PATH names another.
const executablePath = process.env.CHROMIUM_PATH

export default defineConfig({
  testDir: '.',
  workers: 1,
  // The snapshots are texts, which are the same on each system.
  snapshotPathTemplate: '{testDir}/__snapshots__/{arg}{ext}',
  use: { launchOptions: executablePath ? { executablePath, args: ['--no-sandbox', '--disable-gpu'] } : {} },
})
