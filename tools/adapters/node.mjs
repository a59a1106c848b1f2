// A provider in JavaScript or TypeScript as a program that `goldens` can ask.
//
// Put this file beside your provider, fill in the marked part, and run it with what runs yours:
//
//     goldens adapter node > adapter.mjs
//     goldens sweep --command 'node adapter.mjs'
//     goldens sweep --command 'bun adapter.mjs'
//
// One JSON request a line on stdin, one answer a line on stdout; whatever else is printed goes to
// stderr. A request says which MEMVARA_ and OPENAI_MODEL_ variables are set, the shell never does.
// An error that you don't call a refusal is a bug: its stack goes to stderr, the exit code is 1.

import { Console } from "node:console"

const answers = process.stdout.write.bind(process.stdout)
globalThis.console = new Console(process.stderr)
process.stdout.write = process.stderr.write.bind(process.stderr)

// ---- Yours to fill in ---------------------------------------------------------------------------

// Imported here, so that what it prints while it loads is no answer.
const yours = await import("./your-provider.mjs")

const identity = { name: "your provider", version: "unknown" }

// Only what you refuse on purpose: an environment, items or a context file you can't render.
const isRefusal = (error) => error instanceof yours.Refusal

// Delete the operations that you don't have. Each may be asynchronous; `items` is a list, and
// question and question_date may be null.
const operations = {
  render: ({ question }, items) => yours.renderContext(items, question),
  prompt: ({ question, question_date: date }, items) => yours.answerPrompt(items, question, date),
  settings: () => yours.settings(),
  request: ({ query, tag }) => yours.searchRequest(query, tag),
  route: ({ question }) => yours.asksAssistant(question),
  count: ({ text }) => yours.countTokens(text),
}

// Where your warnings go, if not to console.warn.
console.warn = warn

// ---- The loop -----------------------------------------------------------------------------------

const lists = new Map()
let warnings = []
let knobs = Object.keys(process.env).filter((name) => /^(MEMVARA|OPENAI_MODEL)_/.test(name))

operations.items = ({ name }, items) => void lists.set(name, items)
operations.hello = () => ({ ...identity, ops: Object.keys(operations) })

for await (const line of lines()) {
  const request = JSON.parse(line)
  const said = await answer(request)
  // JSON.stringify escapes half a surrogate pair, which UTF-8 could not hold.
  const written = JSON.stringify({ id: request.id ?? null, ...said }) + "\n"
  await new Promise((done) => answers(written, done))
}

async function answer(request) {
  const operation = operations[request.op]
  if (!operation) throw new Error(`there is no operation ${request.op} here`)
  setKnobs(request.env ?? {})
  warnings = []
  try {
    const ok = (await operation(request, listed(request.items))) ?? null
    return { ok, warnings }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { refused: error.message }
  }
}

function listed(items) {
  if (typeof items === "string" && !lists.has(items)) throw new Error(`there is no list ${items}`)
  return typeof items === "string" ? lists.get(items) : items
}

/** Make `env` all that is set of the knobs. */
function setKnobs(env) {
  for (const name of knobs) delete process.env[name]
  Object.assign(process.env, env)
  knobs = Object.keys(env)
}

function warn(...said) {
  warnings.push(said.map(String).join(" "))
}

/** The lines of stdin, split at LF alone: readline would split at U+2028 as well. */
async function* lines() {
  let unfinished = ""
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    const parts = chunk.split("\n")
    parts[0] = unfinished + parts[0]
    unfinished = parts.pop()
    yield* parts
  }
  if (unfinished) yield unfinished
}
