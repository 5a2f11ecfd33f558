/** What the numbers of a run depend on. */
import { readFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { cacheFolder, installedVersion } from './peers.mjs'

export function machineFacts() {
  const cpus = os.cpus()
  return {
    date: new Date().toISOString(),
    node: process.version,
    kernel: `${os.type()} ${os.release()} ${os.arch()}`,
    cpu: cpus[0]?.model ?? 'unknown',
    cores: cpus.length,
    memory_gib: Math.round(os.totalmem() / 1024 ** 3),
    load_before: os.loadavg().map((value) => Number(value.toFixed(2))),
  }
}

export function versions(packageDir) {
  const own = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')).version
  const of = (name) => installedVersion(packageDir, name)
  const peer = (name) => installedVersion(join(cacheFolder(), name), 'maildev')
  return {
    localpost: own,
    'smtp-server': of('smtp-server'),
    h3: of('h3'),
    nodemailer: of('nodemailer'),
    'maildev 2.2.1': peer('maildev-2.2.1'),
    'maildev 3.0.0': peer('maildev-3.0.0'),
  }
}
