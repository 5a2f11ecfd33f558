// The health check of the image: exits with 0 if the Localpost of this container is ready. It asks where the flags and
// the variables of process 1 say that Localpost listens; see Dockerfile.
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { request as requestSecurely } from 'node:https'

/** @param {string} file  The arguments of the server, as Linux shows them. */
function addressOf(file) {
  const words = readFileSync(file, 'utf8').split('\0')
  /** @param {string} name */
  const flag = (name) => {
    const at = words.findLastIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`))
    if (at < 0) return process.env[`LOCALPOST_${name.toUpperCase().replaceAll('-', '_')}`]
    const word = words[at] ?? ''
    return word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[at + 1]
  }
  const [, mailpitPort] = /:(\d+)$/.exec(process.env['MP_UI_BIND_ADDR'] ?? '') ?? []
  const host = flag('host') ?? ''
  const isWild = host === '' || host === '0.0.0.0' || host === '::'
  return {
    host: isWild ? '127.0.0.1' : host,
    port: flag('port') || mailpitPort || '8025',
    isSecure: Boolean(flag('tls-cert') || process.env['MP_UI_TLS_CERT']),
  }
}

const { host, port, isSecure } = addressOf(process.argv[2] ?? '/proc/1/cmdline')
// The certificate is for the name that others use.
const options = { host, port, path: '/readyz', timeout: 2500, rejectUnauthorized: false }
const asked = (isSecure ? requestSecurely : request)(options, (answer) => {
  // Docker keeps what a health check prints.
  answer.pipe(process.stdout)
  process.exitCode = answer.statusCode === 200 ? 0 : 1
})
asked.on('timeout', () => asked.destroy(new Error(`No answer from ${host}:${port} in time.`)))
asked.on('error', (error) => {
  console.log(error.message)
  process.exitCode = 1
})
asked.end()
