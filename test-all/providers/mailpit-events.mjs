// Reads the websocket of Mailpit's API with the client `ws`: each line of the output is one result.
import WebSocket from 'ws'

const { MAILPIT_URL: url, LOCALPOST_API_KEY: key } = process.env
const headers = { authorization: `Basic ${btoa(`anyone:${key}`)}`, 'content-type': 'application/json' }
const show = (name, value) => console.log(JSON.stringify([name, value]))
const call = async (method, path, body) => {
  const init = { method, headers }
  init.body = JSON.stringify(body)
  const answer = await fetch(url + path, init)
  return answer.text()
}

const refused = new WebSocket(`${url.replace('http', 'ws')}/api/events`)
refused.on('error', ({ message }) => show('refused', message))
await new Promise((resolve) => refused.on('close', resolve))

const socket = new WebSocket(`${url.replace('http', 'ws')}/api/events`, { headers })
const messages = []
const waits = new Set()
socket.on('message', (text) => {
  messages.push(JSON.parse(text))
  for (const look of waits) look()
})
const next = (type) =>
  new Promise((resolve) => {
    const look = () => {
      const found = messages.find(({ Type }) => Type === type)
      if (!found) return
      waits.delete(look)
      resolve(found.Data)
    }
    waits.add(look)
    look()
  })
await new Promise((resolve) => socket.on('open', resolve))
show('stats', (await next('stats')).Total)
const mail = { From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.com' }], Subject: 'Hello' }
const { ID } = JSON.parse(await call('POST', '/api/v1/send', mail))
show('new', (await next('new')).ID === ID)
await call('PUT', '/api/v1/messages', { IDs: [ID], Read: true })
show('update', (await next('update')).ID === ID)
socket.ping('there?')
show('pong', await new Promise((resolve) => socket.on('pong', (data) => resolve(String(data)))))
await call('DELETE', '/api/v1/messages', { IDs: [ID] })
show('delete', (await next('delete')).ID === ID)
show('truncate', await next('truncate'))
socket.close(1000, 'done')
show('close', await new Promise((resolve) => socket.on('close', resolve)))
