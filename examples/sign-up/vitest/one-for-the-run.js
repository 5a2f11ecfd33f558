import { createLocalpost } from 'localpost'

/** One instance for the whole run: its address goes to the test files, which run in processes of their own. */
export default async function setup(project) {
  const post = await createLocalpost()
  const { url } = await post.listen()
  project.provide('mail', { url, apiKey: post.apiKey, smtp: post.smtp })
  return () => post.close()
}
