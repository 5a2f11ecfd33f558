import express from 'express'
import { createLocalpost } from 'localpost'
import { toNodeHandler } from 'srvx/node'

const post = await createLocalpost()
const app = express()

app.get('/', (request, response) => response.send('The app itself'))
// Mounted before express.json(), because a body can be read only once. Express removes `/mail` from the URL.
const mail = toNodeHandler(post.fetch)
app.use('/mail', async (request, response) => {
  // The page needs the trailing slash, because its files have relative URLs.
  if (request.originalUrl === '/mail') response.redirect('/mail/')
  else await mail(request, response)
})

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}/mail`
  console.log(JSON.stringify({ url, apiKey: post.apiKey, smtp: post.smtp }))
})
