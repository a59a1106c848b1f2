// What a run has to say for itself. A log never mixes with a result on stdout.

export const logger = {
  warn(message: string): void {
    console.warn(`[warn] ${message}`)
  },
}
