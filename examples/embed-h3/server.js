import { H3, redirect, serve } from 'h3'
import { createLocalpost } from 'localpost'

const post = await createLocalpost()
const app = new H3()

app.get('/', () => 'The app itself')
// The page needs the trailing slash, because its files have relative URLs.
app.use(({ url }) => (url.pathname === '/mail' ? redirect('/mail/') : undefined))
app.mount('/mail', post.fetch)

const server = serve(app, { hostname: '127.0.0.1', port: Number(process.env.PORT ?? 3000), silent: true })
await server.ready()
console.log(JSON.stringify({ url: `${server.url}mail`, apiKey: post.apiKey, smtp: post.smtp }))
