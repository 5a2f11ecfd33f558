/**
 * How long waits, matchers and assertions wait for what should come, in milliseconds: less than the 5,000 of the test
 * frameworks, which would else end the test before it could say what is missing.
 */
export const defaultWaitTimeoutMs = 3000
