// Counting tokens as the answering model does.

import { Tiktoken } from "js-tiktoken/lite"
import o200k from "js-tiktoken/ranks/o200k_base"

// For tiktoken, blanks are Unicode's White_Space: U+0085 is one, U+FEFF is none. In JavaScript
// \s has it the other way round.
const PATTERN = o200k.pat_str
  .replace(/\\s/g, "\\p{White_Space}")
  .replace(/\\S/g, "\\P{White_Space}")
const REMEMBERED = 20_000 // texts; a run asks for the same lines over and over

let encoding: Tiktoken | undefined // made when something is first counted: it takes a while
const counts = new Map<string, number>()

/** The o200k_base tokens of `text`, in which special literals are ordinary text. */
export function countO200k(text: string): number {
  let count = counts.get(text)
  if (count === undefined) {
    encoding ??= new Tiktoken({ ...o200k, pat_str: PATTERN })
    count = encoding.encode(text, [], []).length
    if (counts.size >= REMEMBERED) counts.clear()
    counts.set(text, count)
  }
  return count
}
