// Audits a directory file by file: one agent lists the files, one agent a file
// reads it, a batch at a time, and a last one sums up what was found.
//
//   dsh-workflow run examples/audit.js --model sim
//   dsh-workflow run examples/audit.js --args '{"dir":"src","look":"SQL built from strings"}'
//   dsh-workflow run examples/audit.js --args-text src
export const meta = {
  name: 'audit-directory',
  description: 'Audit every file of a directory and report what was found',
  whenToUse: 'When each file can be judged on its own and none may be left out',
  phases: [
    { title: 'List', detail: 'which files there are' },
    { title: 'Audit', detail: 'one agent a file' },
    { title: 'Report', detail: 'one summary of all findings' },
  ],
}

const input = typeof args === 'string' ? { dir: args } : args ?? {}
const dir = input.dir ?? '.'
const look = input.look ?? 'wrong results, lost errors, missing checks on untrusted input'
const batch = input.batch ?? 10
const most = input.most ?? 100
for (const [name, n] of Object.entries({ batch, most })) {
  if (!Number.isInteger(n) || n < 1) throw new Error(`args.${name} must be a whole number of at least 1, not ${n}`)
}

const FILES = {
  type: 'object',
  required: ['files'],
  properties: {
    files: { type: 'array', maxItems: 500, items: { type: 'string' }, description: 'paths as they stand, from the working directory' },
  },
}
const FINDINGS = {
  type: 'object',
  required: ['findings'],
  properties: {
    findings: {
      type: 'array',
      maxItems: 10,
      items: {
        type: 'object',
        required: ['line', 'severity', 'what'],
        properties: {
          line: { type: 'integer', minimum: 1 },
          severity: { enum: ['low', 'medium', 'high'] },
          what: { type: 'string', description: 'the fault and what follows from it, in one sentence' },
        },
      },
    },
  },
}

phase('List')
const list = await agent(
  `List the source files below ${dir}. Leave out generated files, dependencies and what git ignores.`,
  { label: 'list files', schema: FILES, tools: ['read', 'glob', 'grep', 'bash'] },
)
if (list === null) throw new Error(`the files of ${dir} could not be listed, so nothing was audited`)
const all = [...new Set(list.files)]
const files = all.slice(0, most)
if (files.length < all.length) log(`${all.length} files, of which the first ${most} are audited; args.most allows more`)
if (files.length === 0) return { dir, audited: 0, unaudited: [], findings: [], report: 'There are no files to audit.' }

phase('Audit')
const findings = []
const unaudited = all.slice(most)
for (let at = 0; at < files.length; at += batch) {
  const some = files.slice(at, at + batch)
  const results = await parallel(some.map((file) => () => agent(
    `Read ${file} and report what you can show from its code about: ${look}. No findings is a good answer.`,
    { label: `audit ${file}`, phase: 'Audit', schema: FINDINGS, tools: ['read', 'glob', 'grep', 'bash'] },
  )))
  results.forEach((result, i) => {
    // null: this agent failed. A file that nobody read is not a clean one.
    if (result === null) unaudited.push(some[i])
    else findings.push(...result.findings.map((f) => ({ file: some[i], ...f })))
  })
  log(`${Math.min(at + batch, files.length)} of ${files.length} files, ${findings.length} findings`)
}
const rank = { high: 0, medium: 1, low: 2 }
findings.sort((a, b) => rank[a.severity] - rank[b.severity])

phase('Report')
const report = findings.length === 0 ? 'Nothing was found.' : await agent(
  `Write a report of at most 20 lines on these findings, the gravest first, equal causes together:\n${JSON.stringify(findings)}`,
  { label: 'report', tools: ['read'] },
)
return {
  dir,
  audited: all.length - unaudited.length,
  unaudited,
  findings,
  report: report ?? 'The report could not be written; the findings are complete.',
}
