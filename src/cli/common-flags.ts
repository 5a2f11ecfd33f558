import type { Flag } from './command.ts'

const help: Flag = { name: 'help', short: 'h', help: 'Print this help; --help all prints every option' }
const version: Flag = {
  name: 'version',
  short: 'v',
  help: 'Print the version',
}
/** Of commands that read the configuration file. */
export const config: Flag = {
  name: 'config',
  value: 'file',
  help: 'Configuration file; by default localpost.config.{js,mjs,json} in this folder',
}
/** Of commands that call a running server. */
export const urlFlag: Flag = {
  name: 'url',
  value: 'url',
  help: 'Where Localpost runs; also LOCALPOST_URL',
  default: 'http://127.0.0.1:8025',
}
/** The options of its API key, with what they are for. */
export const keyFlags = {
  'api-key': 'API key, if the server requires one',
  'api-key-file': 'File with the API key; keeps it out of the process list',
}
/** Of every command. */
export const general: readonly Flag[] = [help, version]
