// Blocks that were rendered elsewhere, one JSON object a line, found by their question.

import { readFileSync } from "node:fs"

export interface ContextFile {
  blocks: Map<string, string> // by key
  warnings: string[]
}

/** What a question is looked up by. */
export function contextKey(question: string): string {
  return question.trim().replace(/\s+/g, " ")
}

/** The file at `path`. Throws an Error with the place of what can't be used. */
export function readContextFile(path: string): ContextFile {
  const file: ContextFile = { blocks: new Map(), warnings: [] }
  for (const [index, bytes] of linesOf(path).entries()) {
    const place = `${path}:${index + 1}`
    const text = decoded(bytes, place)
    if (text.trim() === "") continue
    const [key, block] = row(text, place)
    if ((file.blocks.get(key) ?? block) !== block) {
      file.warnings.push(`${place} replaces another block of the same question`)
    }
    file.blocks.set(key, block)
  }
  return file
}

/** Split at LF alone: U+2028 and its like are content. */
function linesOf(path: string): Uint8Array[] {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw new Error(`MEMVARA_CONTEXT_FILE can't be read: ${(error as Error).message}`)
  }
  let start = [0xef, 0xbb, 0xbf].every((byte, at) => bytes[at] === byte) ? 3 : 0
  const lines: Uint8Array[] = []
  for (let end = bytes.indexOf(10, start); end >= 0; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end))
    start = end + 1
  }
  return [...lines, bytes.subarray(start)]
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

function decoded(bytes: Uint8Array, place: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Error(`${place} is no UTF-8`)
  }
}

function row(text: string, place: string): [key: string, block: string] {
  let value: { question?: unknown; block?: unknown } | null
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error(`${place} is no JSON`)
  }
  if (typeof value?.question !== "string" || typeof value.block !== "string") {
    throw new Error(`${place} needs a question and a block, both strings`)
  }
  return [contextKey(value.question.toWellFormed()), value.block.toWellFormed()]
}
