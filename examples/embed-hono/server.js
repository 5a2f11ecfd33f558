import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createLocalpost } from 'localpost'

const post = await createLocalpost()
const app = new Hono()

app.get('/', (c) => c.text('The app itself'))
// The page needs the trailing slash, because its files have relative URLs.
app.get('/mail', (c) => c.redirect('/mail/'))
app.mount('/mail', post.fetch)

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}/mail`, apiKey: post.apiKey, smtp: post.smtp }))
})
