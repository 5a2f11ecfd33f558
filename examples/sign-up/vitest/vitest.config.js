import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['./one-for-the-run.js'],
    reporters: [
      'default',
      [
        'localpost/reporter',
        {
          outputFile: 'mails.html',
          baseline: process.env.MAILS_BASELINE,
          summaryFile: process.env.GITHUB_STEP_SUMMARY,
        },
      ],
    ],
  },
})
