// Holds workflow.d.ts to the real compiler and stamps what was checked:
//
//   npm install --prefix /tmp/ts typescript@5
//   node lint/testdata/types/check.mjs /tmp/ts/node_modules/.bin/tsc
//
// A test of the package refuses a workflow.d.ts that was not stamped.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

const dir = new URL('.', import.meta.url)
const tsc = process.argv[2]
const run = (...args) => execFileSync(tsc, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
try {
  run('-p', new URL('tsconfig.json', dir).pathname)
} catch (e) {
  console.error(e.stdout)
  process.exit(1)
}
const stamp = ['../../workflow.d.ts', 'good.ts', 'bad.ts'].map((name) =>
  createHash('sha256').update(readFileSync(new URL(name, dir))).digest('hex') + '  ' + name)
writeFileSync(new URL('checked.txt', dir), `typescript ${run('--version').trim().split(' ')[1]}\n${stamp.join('\n')}\n`)
