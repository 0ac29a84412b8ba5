// Makes the expected outputs of the programs of this folder with the Node that
// runs this file, or, with --check, shows where they differ from those that are
// checked in.
//
//	npm install node@22 (in a folder of its own)
//	node_modules/node/bin/node vm/testdata/diff/make.mjs [--check] [family...]
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync, readdirSync, existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';

const here = dirname(fileURLToPath(import.meta.url));
const prologue = readFileSync(join(here, 'prologue.js'), 'utf8').replace(/^\/\/.*\n/gm, '').replace(/\n\s*/g, ' ');

const runner = `
const vm = require('node:vm');
let source = '';
process.stdin.setEncoding('utf8').on('data', (d) => { source += d }).on('end', async () => {
  const lines = [];
  process.on('unhandledRejection', () => {});
  const done = () => { process.stdout.write(lines.join('\\n')); process.exit(0) };
  globalThis.log = (text) => { lines.push(String(text)) };
  let body;
  try {
    body = vm.runInThisContext('(async () => {' + source + '\\n})', { filename: 'workflow:t', importModuleDynamically: undefined });
  } catch (e) {
    lines.push('refused: ' + e.name);
    done();
  }
  process.on('exit', (code) => { if (code !== 0) return; });
  process.on('beforeExit', () => { lines.push('stalled'); done() });
  try {
    const v = await body();
    if (v !== undefined) lines.push('returned ' + JSON.stringify(v));
  } catch (e) {
    lines.push('failed: ' + (e instanceof Error ? e.name + ': ' + e.message : String(e)));
  }
  done();
});`;

const run = (program) => new Promise((resolve) => {
  const child = spawn(process.execPath, ['--eval', runner], { env: { TZ: 'UTC', LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' } });
  let out = '', err = '';
  child.stdout.on('data', (d) => { out += d });
  child.stderr.on('data', (d) => { err += d });
  child.on('close', (code) => resolve(code === 0 ? out : out + '\ncrashed: ' + err.slice(0, 500)));
  child.stdin.end(prologue + '\n' + program);
});

const programs = (text) => text.split(/^\/\/ == /m).slice(1).map((block) => {
  const end = block.indexOf('\n');
  return { name: block.slice(0, end).trim(), source: block.slice(end + 1) };
});

const args = process.argv.slice(2), check = args.includes('--check'), only = args.filter((a) => a !== '--check');
const families = readdirSync(here).filter((f) => f.endsWith('.js') && f !== 'prologue.js').map((f) => f.slice(0, -3))
  .filter((f) => only.length === 0 || only.includes(f));
let count = 0, differ = 0;
for (const family of families) {
  const list = programs(readFileSync(join(here, family + '.js'), 'utf8'));
  const outs = new Array(list.length);
  let next = 0;
  await Promise.all(Array.from({ length: availableParallelism() }, async () => {
    while (next < list.length) { const i = next++; outs[i] = await run(list[i].source) }
  }));
  count += list.length;
  const text = '// node ' + process.version + '\n' + list.map((p, i) => '// == ' + p.name + '\n' + outs[i] + (outs[i] === '' ? '' : '\n')).join('');
  const file = join(here, family + '.out');
  if (!check) { writeFileSync(file, text); continue }
  const before = existsSync(file) ? new Map(programs(readFileSync(file, 'utf8')).map((p) => [p.name, p.source])) : new Map();
  list.forEach((p, i) => {
    const now = outs[i] === '' ? '' : outs[i] + '\n';
    if (before.get(p.name) === now) return;
    differ++;
    console.log('--- ' + family + '/' + p.name + '\nchecked in:\n' + before.get(p.name) + '\nthis node:\n' + now);
  });
}
console.log(count + ' programs' + (check ? ', ' + differ + ' differ' : ' written'));
process.exitCode = differ > 0 ? 1 : 0;
