// What memvara found, as the answering model reads it.

import { logger } from "../../utils/logger"
import { countO200k } from "../../utils/tokens"
import { contextKey, readContextFile } from "./contextFile"
import { memvaraProviderSettings, type MemvaraSettings } from "./env"
import { readItems, type Memory, type Turn } from "./items"

interface Line {
  text: string
  isCut: boolean
}

const MEMORIES = "Facts on file about this person, closest match on top:"
const TURNS = "Passages from past chats, closest match on top, unabridged:"
const TURNS_CUT =
  'Passages from past chats, closest match on top; one that stops at "(...)" was shortened:'
const NOTHING = "No fact or passage on file fits this question."
const ELLIPSIS = " (...)"
const NO_DATE = "unknown"

const V2_READING = `
4. Where two passages disagree on a value, believe the one dated later.
5. A count or a total starts with a list: name each match and its date, and only then add up.
6. Advice is built on what this person has said they like or avoid.`

const V2_ANSWERING = `
Should your notes already contain the values asked for, give the answer; "I don't know" is for
questions that nothing on file touches.`

// Fitted on 301 LongMemEval questions; "remind me" matches a person's own history as well.
const ASKS_ASSISTANT = new RegExp(
  "\\b(you (suggested|recommended|mentioned|told me|provided|wrote|created)|did you say|" +
    "can you remind me|remind me (what|which|who|how|of))\\b",
  "i",
)

const BLANKS = 999_000 // in a row; the tokenizer fails near a million
const SHOWN = 60 // UTF-16 units of a question in a warning

/** Whether `question` asks for something that the assistant said. */
export function wantsAssistant(question: string): boolean {
  return ASKS_ASSISTANT.test(question)
}

/**
 * The context block for a ranked list, without a final newline. Throws an Error for settings,
 * items and context files that can't be rendered.
 */
export function renderMemvaraContext(context: unknown[], question = ""): string {
  return render(context, question.toWellFormed(), memvaraProviderSettings())
}

/** The whole prompt. Throws as renderMemvaraContext does. */
export function buildMemvaraAnswerPrompt(
  question: string,
  context: unknown[],
  questionDate?: string,
): string {
  const settings = memvaraProviderSettings()
  const asked = question.toWellFormed()
  const second = settings.answer_prompt === "v2"
  return `Someone is talking to an assistant that keeps notes between chats. Answer their question
from those notes.

Today: ${questionDate?.toWellFormed() || NO_DATE}

<notes>
${render(context, asked, settings)}
</notes>

Reading the notes:
1. They are all you know about this person. Guess nothing and add nothing.
2. The bracket in front of a note is its date: "tomorrow" or "a week ago" inside it counts from
   there, not from today.
3. Their order is one of relevance, never of time.${second ? V2_READING : ""}

Answering:
Jot down the notes that matter, their dates and their values, and show any arithmetic.
Finish with the answer alone on the last line, or with "I don't know" if the notes leave it open.${second ? V2_ANSWERING : ""}

Question: ${asked}`
}

function render(context: unknown[], question: string, settings: MemvaraSettings): string {
  const { memories, turns } = readItems(context)
  if (settings.context_file !== null && context.length > 0) {
    return overriding(settings.context_file, question)
  }
  const blocks: string[] = []
  if (memories.length > 0 && !settings.turns_only) {
    blocks.push(block(MEMORIES, memories.map(memoryLine)))
  }
  const lines = fitting(turns, question, settings)
  if (lines.length > 0) {
    blocks.push(block(turnsHeading(lines), lines.map((line) => line.text)))
  }
  return blocks.join("\n\n") || NOTHING
}

/** The block that a file holds for a question: an arm never mixes two renderings. */
function overriding(path: string, question: string): string {
  const { blocks, warnings } = readContextFile(path)
  const found = blocks.get(contextKey(question))
  if (found === undefined) throw new Error(`${path} has no block for this question`)
  for (const warning of warnings) logger.warn(warning)
  return found
}

/** The turns to print: selected, cut, and within the budget. */
function fitting(turns: Turn[], question: string, settings: MemvaraSettings): Line[] {
  if (settings.token_budget !== null) turns.forEach(refuseBlanks)
  const kept = ofRole(turns, question, settings)
  const lines = kept.map((turn, rank) => turnLine(turn, rank, settings))
  return settings.token_budget === null ? lines : filled(lines, settings.token_budget)
}

function ofRole(turns: Turn[], question: string, settings: MemvaraSettings): Turn[] {
  const { role_select } = settings
  if (role_select === "off") return turns
  const role = role_select === "route" && wantsAssistant(question) ? "assistant" : "user"
  const kept = turns.filter((turn) => turn.role === role)
  if (kept.length === 0 && turns.length > 0) {
    logger.warn(
      `MEMVARA_ROLE_SELECT=${role_select}: no ${role} turn among ${turns.length}, asked ` +
        JSON.stringify(cut(question, SHOWN)),
    )
  }
  return kept
}

function turnLine(turn: Turn, rank: number, settings: MemvaraSettings): Line {
  const { head_whole, tail_chars } = settings
  const isCut = tail_chars > 0 && rank >= head_whole && turn.content.length > tail_chars
  const content = isCut ? cut(turn.content, tail_chars) + ELLIPSIS : turn.content
  return { text: `- [${when(turn.ts)}] ${turn.role}: ${content}`, isCut }
}

/**
 * Lines in order while their block counts at most `budget` tokens; the first whatever it costs.
 *
 * A piece of o200k ends at a newline before "- [", so the counts of such lines add up.
 */
function filled(lines: Line[], budget: number): Line[] {
  let before = 0 // tokens of the kept lines, newlines included
  let someCut = false
  for (const [index, line] of lines.entries()) {
    someCut ||= line.isCut
    const heading = countO200k((someCut ? TURNS_CUT : TURNS) + "\n")
    if (index > 0 && heading + before + countO200k(line.text) > budget) return lines.slice(0, index)
    before += countO200k(line.text + "\n")
  }
  return lines
}

function refuseBlanks({ index, role, content, ts }: Turn): void {
  for (const text of [role, content, ts]) {
    const runs = text.length < BLANKS ? null : text.match(/\s+/g)
    if (runs?.some((run) => run.length >= BLANKS)) {
      throw new Error(`item ${index}: ${BLANKS} blanks in a row can't be counted`)
    }
  }
}

function turnsHeading(lines: Line[]): string {
  return lines.some((line) => line.isCut) ? TURNS_CUT : TURNS
}

function memoryLine({ text, state, validFrom, validTo, recordedAt }: Memory): string {
  const noted = `on file since ${when(recordedAt)}`
  const from = when(validFrom)
  const held = validTo ? `held ${from} to ${when(validTo)}` : `holds from ${from}`
  return `- [${noted}; ${held}, ${state}] ${text}`
}

function block(heading: string, lines: string[]): string {
  return [heading, ...lines].join("\n")
}

function when(stamp: string): string {
  return stamp.replace(/^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}).*$/s, "$1 $2")
}

/** The first UTF-16 units of a text, less half a code point at their end. */
function cut(text: string, units: number): string {
  return text.slice(0, units).replace(/[\ud800-\udbff]$/, "")
}
