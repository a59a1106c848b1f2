// What the environment asks of the provider, read anew at each call.

/** Every knob that changes a render or a request, named as a run records it. */
export interface MemvaraSettings {
  turns_only: boolean
  role_select: "off" | "user" | "route"
  head_whole: number
  tail_chars: number
  token_budget: number | null
  search_k: number
  answer_prompt: "v1" | "v2"
  context_file: string | null
  ranked: boolean
}

export interface MemvaraRequest {
  method: "POST"
  path: string
  body: string
}

const KNOBS = [
  "MEMVARA_SEARCH_K",
  "MEMVARA_ROLE_SELECT",
  "MEMVARA_TOKEN_BUDGET",
  "MEMVARA_HEAD_WHOLE",
  "MEMVARA_TAIL_CHARS",
  "MEMVARA_TURNS_ONLY",
  "MEMVARA_ANSWER_PROMPT",
  "MEMVARA_CONTEXT_FILE",
  "MEMVARA_RANKED",
  "OPENAI_MODEL_PREFIX",
] as const

type Knob = (typeof KNOBS)[number]

/**
 * All knobs, checked together: a typo in one is refused even where another makes it irrelevant.
 * Throws an Error that names the variable.
 */
export function memvaraProviderSettings(): MemvaraSettings {
  refuseMisspeltNames()
  const settings: MemvaraSettings = {
    turns_only: flag("MEMVARA_TURNS_ONLY"),
    role_select: oneOf("MEMVARA_ROLE_SELECT", ["off", "user", "route"]),
    head_whole: integer("MEMVARA_HEAD_WHOLE", 0, 0),
    tail_chars: integer("MEMVARA_TAIL_CHARS", 0, 0),
    token_budget: integer("MEMVARA_TOKEN_BUDGET", 1, null),
    search_k: integer("MEMVARA_SEARCH_K", 1, 30),
    answer_prompt: oneOf("MEMVARA_ANSWER_PROMPT", ["v1", "v2"]),
    context_file: given("MEMVARA_CONTEXT_FILE")?.trim() ?? null,
    ranked: flag("MEMVARA_RANKED"),
  }
  refuseHiddenRanking(settings)
  return settings
}

/** The search that the environment asks for. Throws an Error for a tag that no URL can hold. */
export function memvaraSearchRequest(query: string, tag: string): MemvaraRequest {
  const { search_k, ranked } = memvaraProviderSettings()
  if (!tag.isWellFormed()) throw new Error("half a surrogate pair in a tag can't be sent in a URL")
  const body = {
    query: query.toWellFormed(),
    k: search_k,
    min_score: 0,
    include_episodes: true,
    ...(ranked && { ranked }),
  }
  const path = `/v1/search?user=${encodeURIComponent(tag)}`
  return { method: "POST", path, body: JSON.stringify(body) }
}

/** What a variable holds; unset, empty and blank are the same. */
function given(knob: Knob): string | undefined {
  const value = process.env[knob]
  return value?.trim() ? value : undefined
}

function refusal(knob: Knob, value: string, accepts: string): Error {
  return new Error(`${knob} is ${JSON.stringify(value)}; it takes ${accepts}`)
}

function integer<Off extends number | null>(knob: Knob, least: number, off: Off): number | Off {
  const value = given(knob)
  if (value === undefined) return off
  const number = /^[0-9]+$/.test(value.trim()) ? Number(value) : NaN
  if (!Number.isSafeInteger(number) || number < least) {
    throw refusal(knob, value, `a whole number from ${least}`)
  }
  return number
}

function oneOf<Choice extends string>(knob: Knob, choices: [Choice, ...Choice[]]): Choice {
  const value = given(knob)
  if (value === undefined) return choices[0]
  const chosen = choices.find((choice) => choice === value)
  if (chosen === undefined) throw refusal(knob, value, `exactly ${choices.join(" or ")}`)
  return chosen
}

function flag(knob: Knob): boolean {
  const value = given(knob)
  if (value !== undefined && value !== "1") throw refusal(knob, value, "exactly 1")
  return value !== undefined
}

function refuseHiddenRanking(settings: MemvaraSettings): void {
  const hiding: Knob[] = []
  if (settings.role_select !== "off") hiding.push("MEMVARA_ROLE_SELECT")
  if (settings.context_file !== null) hiding.push("MEMVARA_CONTEXT_FILE")
  if (settings.tail_chars > 0) hiding.push("MEMVARA_TAIL_CHARS")
  if (settings.ranked && hiding.length > 0) {
    throw new Error(`MEMVARA_RANKED keeps an order that ${hiding.join(" and ")} would hide`)
  }
}

function refuseMisspeltNames(): void {
  for (const name of Object.keys(process.env)) {
    if (!/^(MEMVARA|OPENAI_MODEL)_/.test(name) || KNOBS.some((knob) => knob === name)) continue
    const meant = KNOBS.find((knob) => edits(name, knob) <= 2)
    if (meant) throw new Error(`there is no ${name}; ${meant} is close to it`)
  }
}

/** Levenshtein's distance, a row at a time. */
function edits(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1] ? 0 : 1
      next.push(Math.min(row[j - 1]! + same, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[right.length]!
}
