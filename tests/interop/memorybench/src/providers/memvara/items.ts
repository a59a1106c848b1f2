// What a search found, as far as it is rendered.

export interface Memory {
  text: string
  state: string
  validFrom: string
  validTo: string // empty while it holds
  recordedAt: string
}

export interface Turn {
  index: number // among all items
  role: string
  content: string
  ts: string
}

/**
 * The memories and turns of a ranked list, in its order; what else is in it is passed over.
 * Throws an Error with the index of an item that lacks a field.
 */
export function readItems(context: unknown): { memories: Memory[]; turns: Turn[] } {
  if (!Array.isArray(context)) throw new Error("the context is no list")
  const memories: Memory[] = []
  const turns: Turn[] = []
  for (const [index, value] of context.entries()) {
    const item = (value ?? {}) as Record<string, unknown>
    const text = (field: string): string => {
      const held = item[field]
      if (typeof held !== "string") throw new Error(`item ${index}: ${field} is no string`)
      return held.toWellFormed()
    }
    if (item.kind === "memory") {
      memories.push({
        text: text("text"),
        state: text("state"),
        validFrom: text("valid_from"),
        validTo: item.valid_to == null ? "" : text("valid_to"),
        recordedAt: text("recorded_at"),
      })
    } else if (item.kind === "turn") {
      turns.push({ index, role: text("role"), content: text("content"), ts: text("ts") })
      if (item.selected != null && typeof item.selected !== "boolean") {
        throw new Error(`item ${index}: selected is neither true, false nor null`)
      }
    }
  }
  return { memories, turns }
}
