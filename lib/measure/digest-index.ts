import { hash } from 'node:crypto'
import { Column } from './statistics/column'

/** The 32-bit words of a digest that are kept: 12 bytes, which no two of a billion texts share by chance. */
const words = 3

/** Numbers texts from 0 on by their SHA-256. Only digests are kept, as bytes: 20 to 28 for each text. R27 */
export class DigestIndex {
  private readonly digests = new Column(Uint32Array)
  /** Open addressing: at the place that a digest begins with, or after it, its number from 1; 0 where free. */
  private table = new Uint32Array(1024)

  /** The number of a text, which is added where it is new. */
  add(text: string): number {
    const digest = hash('sha256', text, 'buffer')
    const slot = this.slotOf(digest)
    const known = this.table[slot] as number
    if (known > 0) return known - 1
    for (let word = 0; word < words; word++) this.digests.push(digest.readUInt32LE(word * 4))
    this.table[slot] = this.size
    if (this.size * 2 > this.table.length) this.enlarge()
    return this.size - 1
  }

  /** The number of a text; `undefined` where it was not added. */
  find(text: string): number | undefined {
    const known = this.table[this.slotOf(hash('sha256', text, 'buffer'))] as number
    return known === 0 ? undefined : known - 1
  }

  get size(): number {
    return this.digests.size / words
  }

  /** The place in the table that holds a digest, or that is free for it. */
  private slotOf(digest: Buffer): number {
    let slot = digest.readUInt32LE(0) & (this.table.length - 1)
    for (;;) {
      const known = this.table[slot] as number
      if (known === 0 || this.isAt(known - 1, digest)) return slot
      slot = (slot + 1) & (this.table.length - 1)
    }
  }

  private isAt(place: number, digest: Buffer): boolean {
    for (let word = 0; word < words; word++)
      if (this.digests.at(place * words + word) !== digest.readUInt32LE(word * 4)) return false
    return true
  }

  private enlarge(): void {
    const table = new Uint32Array(this.table.length * 2)
    for (let place = 0; place < this.size; place++) {
      let slot = this.digests.at(place * words) & (table.length - 1)
      while (table[slot] !== 0) slot = (slot + 1) & (table.length - 1)
      table[slot] = place + 1
    }
    this.table = table
  }
}
