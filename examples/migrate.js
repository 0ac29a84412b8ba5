// Migrates call sites: one agent finds the files, then each file goes its own
// way through edit and verify, and one that does not pass is tried once more.
//
//   dsh-workflow run examples/migrate.js --model sim --args '{"from":"ioutil.ReadAll","to":"io.ReadAll"}'
//   dsh-workflow run examples/migrate.js --args '{"from":"assert(x)","to":"check(x)","verify":"npm test","dir":"src"}'
export const meta = {
  name: 'migrate-call-sites',
  description: 'Find the call sites of an API, change each file and verify it with a command',
  whenToUse: 'When an API changes in many files and a command can tell whether a file is right',
  phases: [
    { title: 'Find', detail: 'which files use the old API' },
    { title: 'Edit', detail: 'one agent a file' },
    { title: 'Verify', detail: 'another agent runs the command' },
  ],
}

const { from, to, dir = '.', verify = 'go vet ./...' } = args ?? {}
if (!from || !to) {
  throw new Error(`args.from and args.to are needed: --args '{"from":"old API","to":"new API","verify":"command"}'`)
}

const SITES = {
  type: 'object',
  required: ['files'],
  properties: {
    files: {
      type: 'array',
      maxItems: 200,
      items: {
        type: 'object',
        required: ['path', 'lines'],
        properties: {
          path: { type: 'string' },
          lines: { type: 'array', items: { type: 'integer', minimum: 1 } },
        },
      },
    },
  },
}
const EDIT = {
  type: 'object',
  required: ['changed', 'note'],
  properties: {
    changed: { type: 'boolean', description: 'false if this file should stay as it is' },
    note: { type: 'string', description: 'what was changed, or why nothing was' },
  },
}
const CHECK = {
  type: 'object',
  required: ['passed', 'output'],
  properties: {
    passed: { type: 'boolean', description: 'whether the command ended with exit code 0' },
    output: { type: 'string', description: 'the lines that matter of what it printed' },
  },
}

phase('Find')
const found = await agent(
  `Find every use of \`${from}\` below ${dir}, with grep and by reading what grep cannot tell. One entry a file.`,
  { label: 'find', schema: SITES, tools: ['read', 'glob', 'grep', 'bash'] },
)
if (found === null) throw new Error(`the uses of ${from} could not be found, so nothing was changed`)
// Two agents must not work on one file.
const byPath = new Map()
for (const f of found.files) byPath.set(f.path, [...(byPath.get(f.path) ?? []), ...f.lines])
const sites = [...byPath].map(([path, lines]) => ({ path, lines: [...new Set(lines)] }))
log(`${sites.length} files use ${from}`)

const edit = (site, trouble) => agent(
  `Replace \`${from}\` by \`${to}\` in ${site.path}, lines ${site.lines.join(', ')}. Change no other file and nothing else in it.${trouble ? ` An earlier attempt failed: ${trouble}` : ''}`,
  { label: `${trouble ? 'mend' : 'edit'} ${site.path}`, phase: 'Edit', schema: EDIT },
)
const check = (site) => agent(
  `Run \`${verify}\` and say whether it passes for ${site.path}. Other files are being changed at the same time: faults there do not count. Change nothing.`,
  { label: `verify ${site.path}`, phase: 'Verify', schema: CHECK, tools: ['read', 'bash'] },
)

const done = await pipeline(
  sites,
  // A stage that gives null ends its file: an agent that failed is not verified.
  (site) => edit(site),
  async (edited, site) => {
    if (!edited.changed) return { path: site.path, state: 'unchanged', note: edited.note }
    let checked = await check(site)
    if (checked?.passed === false && await edit(site, checked.output) !== null) checked = await check(site)
    if (checked === null) return { path: site.path, state: 'unverified', note: edited.note }
    return { path: site.path, state: checked.passed ? 'migrated' : 'broken', note: checked.passed ? edited.note : checked.output }
  },
)

const files = done.map((d, i) => d ?? { path: sites[i].path, state: 'failed', note: 'its agent failed; see the failures of the run' })
const paths = (state) => files.filter((f) => f.state === state).map((f) => f.path)
return {
  from,
  to,
  migrated: paths('migrated'),
  unchanged: paths('unchanged'),
  left: files.filter((f) => f.state !== 'migrated' && f.state !== 'unchanged'),
}
