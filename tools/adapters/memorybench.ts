// The memvara provider of this MemoryBench checkout, as a program that `goldens` can ask.
//
// Put this file at the root of the checkout, beside package.json:
//
//     goldens adapter memorybench > adapter.ts
//     goldens sweep --command 'bun adapter.ts'
//     goldens sweep --command 'npx tsx adapter.ts'      (one process: 'node --import tsx adapter.ts')
//
// It asks src/providers/memvara/prompts.ts and env.ts, src/utils/tokens.ts and logger.ts; a
// function that they lack is an operation less, and `hello` says which there are.
//
// One JSON request a line on stdin, one answer a line on stdout; whatever else is printed goes to
// stderr. A request says which MEMVARA_ and OPENAI_MODEL_ variables are set, the shell never does.
//
// Refused is what throws an Error of exactly that class, or of a class that prompts.ts or env.ts
// exports. Anything else, a TypeError or a RangeError say, is a bug and no refusal: its stack goes
// to stderr and the exit code is 1.

import { Console } from "node:console"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** What the checkout may export, in whichever of the modules. */
interface Provider {
  renderMemvaraContext(context: unknown[], question?: string): string
  buildMemvaraAnswerPrompt(question: string, context: unknown[], questionDate?: string): string
  wantsAssistant(question: string): boolean
  memvaraProviderSettings(): object
  memvaraSearchRequest(query: string, tag: string): { method: string; path: string; body: string }
  countO200k(text: string): number
}

/** The fields of every operation; each takes the ones that it names. */
interface Request {
  id?: unknown
  op: string
  env?: Record<string, string>
  name: string
  items: unknown[] | string
  question: string | null
  question_date: string | null
  query: string
  tag: string
  text: string
}

type Operations = Record<string, (request: Request) => unknown>

const KNOB = /^(MEMVARA|OPENAI_MODEL)_/

const answers = process.stdout.write.bind(process.stdout)

serve().catch((bug: unknown) => {
  console.error(bug)
  process.exit(1)
})

async function serve(): Promise<void> {
  keepStdoutForAnswers()
  // Imported only now, so that what the checkout prints while it loads is no answer either.
  const prompts = await import("./src/providers/memvara/prompts")
  const env = await import("./src/providers/memvara/env")
  const tokens = await import("./src/utils/tokens")
  const { logger } = await import("./src/utils/logger")

  let warnings: string[] = []
  logger.warn = (...said: unknown[]) => void warnings.push(said.map(String).join(" "))

  const operations = operationsOf({ ...tokens, ...env, ...prompts })
  const exported: unknown[] = Object.values({ ...env, ...prompts })
  const refusals = exported.filter(isErrorClass)
  let number = 0
  for await (const line of lines()) {
    number += 1
    const request: Request = JSON.parse(line)
    const operation = operations[request.op]
    if (!operation) throw new Error(`line ${number}: there is no operation ${request.op} here`)
    setKnobs(request.env ?? {})
    warnings = []
    await answer(request, () => ({ ok: operation(request), warnings }), refusals)
  }
}

async function answer(
  { id }: Request,
  answered: () => object,
  refusals: ErrorClass[],
): Promise<void> {
  let said: object
  try {
    said = answered()
  } catch (error) {
    if (!isRefusal(error, refusals)) throw error
    said = { refused: error.message }
  }
  // JSON.stringify escapes half a surrogate pair, which UTF-8 could not hold.
  const line = JSON.stringify({ id: id ?? null, ...said }) + "\n"
  await new Promise((written) => answers(line, written))
}

function operationsOf(provider: Partial<Provider>): Operations {
  const lists = new Map<string, unknown[]>()
  const listed = (items: unknown[] | string): unknown[] => {
    if (typeof items !== "string") return items
    const list = lists.get(items)
    if (!list) throw new TypeError(`there is no list of the name ${items}`)
    return list
  }
  const { renderMemvaraContext, buildMemvaraAnswerPrompt, wantsAssistant } = provider
  const { memvaraProviderSettings, memvaraSearchRequest, countO200k } = provider
  const operations: Operations = {
    hello: () => ({ ...identity(), ops: Object.keys(operations) }),
    items: ({ name, items }) => {
      lists.set(name, items as unknown[])
      return null
    },
    ...(renderMemvaraContext && {
      render: ({ items, question }) => renderMemvaraContext(listed(items), question ?? undefined),
    }),
    ...(buildMemvaraAnswerPrompt && {
      prompt: ({ items, question, question_date }) =>
        buildMemvaraAnswerPrompt(question ?? "", listed(items), question_date ?? undefined),
    }),
    ...(memvaraProviderSettings && { settings: () => memvaraProviderSettings() }),
    ...(memvaraSearchRequest && { request: ({ query, tag }) => memvaraSearchRequest(query, tag) }),
    ...(wantsAssistant && { route: ({ question }) => wantsAssistant(question ?? "") }),
    ...(countO200k && { count: ({ text }) => countO200k(text) }),
  }
  return operations
}

/** What the checkout's package.json calls itself. */
function identity(): { name: string; version: string } {
  const path = join(dirname(process.argv[1] ?? ""), "package.json")
  const { name = "memorybench", version = "none" } = JSON.parse(readFileSync(path, "utf8"))
  return { name, version }
}

let knobs: string[] = Object.keys(process.env).filter((name) => KNOB.test(name))

/** Make `env` all that is set of the knobs. */
function setKnobs(env: Record<string, string>): void {
  for (const name of knobs) delete process.env[name]
  Object.assign(process.env, env)
  knobs = Object.keys(env)
}

/** The lines of stdin, split at LF alone: readline would split at U+2028 as well. */
async function* lines(): AsyncGenerator<string> {
  let unfinished = ""
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    const parts: string[] = chunk.split("\n")
    parts[0] = unfinished + parts[0]
    unfinished = parts.pop() ?? ""
    yield* parts
  }
  if (unfinished) yield unfinished
}

function keepStdoutForAnswers(): void {
  globalThis.console = new Console(process.stderr)
  process.stdout.write = process.stderr.write.bind(process.stderr)
}

type ErrorClass = new (...given: never[]) => Error

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === "function" && value.prototype instanceof Error
}

function isRefusal(error: unknown, refusals: ErrorClass[]): error is Error {
  if (!(error instanceof Error)) return false
  return error.constructor === Error || refusals.some((known) => error instanceof known)
}
