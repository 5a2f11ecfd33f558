import { defineConfig } from '@playwright/test'

// Playwright's own browser, unless CHROMIUM_PATH names another.
const executablePath = process.env.CHROMIUM_PATH

export default defineConfig({
  testDir: '.',
  workers: 2,
  fullyParallel: true,
  use: { launchOptions: executablePath ? { executablePath, args: ['--no-sandbox', '--disable-gpu'] } : {} },
})
