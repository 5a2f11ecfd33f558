import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { globalSetup: ['./one-for-the-run.js'] } })
