// Reviews the changes of a repository along several dimensions, and lets a
// second agent try to refute every finding before it is reported.
//
//   dsh-workflow run examples/review.js --model sim
//   dsh-workflow run examples/review.js --args '{"base":"main"}'
//
// Its agents run git, so they need a folder that you trust (dsh-workflow trust add).
export const meta = {
  name: 'review-changes',
  description: 'Review a diff by dimension and verify each finding',
  whenToUse: 'Before a merge, when one reader is not enough',
  phases: [
    { title: 'Scope', detail: 'what changed' },
    { title: 'Review', detail: 'one agent a dimension' },
    { title: 'Verify', detail: 'one sceptic a finding' },
  ],
}

const base = args?.base ?? 'HEAD'
const DIMENSIONS = [
  { key: 'correctness', look: 'wrong results, broken edge cases, races, lost errors' },
  { key: 'security', look: 'injection, secrets, missing checks on untrusted input' },
  { key: 'simplicity', look: 'code that repeats what exists, needless state, dead branches' },
]

const SCOPE = {
  type: 'object',
  required: ['summary', 'files'],
  properties: {
    summary: { type: 'string', description: 'what the change does, in one sentence' },
    files: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 50 },
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
        required: ['title', 'file', 'line', 'why'],
        properties: {
          title: { type: 'string' },
          file: { type: 'string' },
          line: { type: 'integer', minimum: 1 },
          why: { type: 'string', description: 'the input that goes wrong, and what happens' },
        },
      },
    },
  },
}
const VERDICT = {
  type: 'object',
  required: ['real', 'reason'],
  properties: { real: { type: 'boolean' }, reason: { type: 'string' } },
}

phase('Scope')
const scope = await agent(
  `Run \`git diff --stat ${base}\` and read what you need of \`git diff ${base}\`. Say in one sentence what the change does and list the files that matter for a review.`,
  { label: 'scope', schema: SCOPE },
)
if (scope === null) throw new Error('the change could not be read, so there is nothing to review')
log(`${scope.files.length} files to review`)

const reviewed = await pipeline(
  DIMENSIONS,
  (d) => agent(
    `Review the change against ${base} for ${d.key}: ${d.look}. The change: ${scope.summary} Files: ${scope.files.join(', ')}. Report only what you can show from the code.`,
    { label: `review ${d.key}`, phase: 'Review', schema: FINDINGS },
  ),
  (review, d) => parallel(review.findings.map((f) => async () => {
    const verdict = await agent(
      `Try to refute this ${d.key} finding from the code, and call it real only if you cannot: "${f.title}" in ${f.file}:${f.line}. Claimed reason: ${f.why}`,
      { label: `verify ${f.title}`, phase: 'Verify', schema: VERDICT },
    )
    return { ...f, dimension: d.key, verdict }
  })),
)

// A dimension whose agent failed is null here; so is the verdict of a failed sceptic.
const unreviewed = DIMENSIONS.filter((_, i) => reviewed[i] === null).map((d) => d.key)
const findings = reviewed.filter((r) => r !== null).flat().filter((f) => f !== null)
return {
  summary: scope.summary,
  confirmed: findings.filter((f) => f.verdict?.real === true),
  refuted: findings.filter((f) => f.verdict?.real === false).length,
  unverified: findings.filter((f) => f.verdict === null).map((f) => f.title),
  unreviewed,
}
