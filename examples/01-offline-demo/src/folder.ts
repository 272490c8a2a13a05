/**
 * A folder as the tools may see it: nothing outside of it, not through `..` and not through links, and none of
 * the folders that tools fill (`node_modules`, `.git` and their like).
 */
import { readdir, readFile, realpath, stat } from "node:fs/promises"
import { isAbsolute, join, relative, resolve, sep } from "node:path"

const SKIPPED = new Set(["node_modules", ".git", ".turbo", "dist", "coverage"])
const MAX_ENTRIES = 2000
const MAX_FILE_BYTES = 1024 * 1024

/** One thing in a folder. Paths are relative to the folder and use "/". */
export interface Entry {
  readonly path: string
  readonly kind: "file" | "folder"
  /** Bytes; 0 for a folder. */
  readonly size: number
}

export class Folder {
  readonly root: string

  private constructor(root: string) {
    this.root = root
  }

  /** @throws when there is no such folder. */
  static async open(path: string): Promise<Folder> {
    const root = await realpath(path)
    if (!(await stat(root)).isDirectory()) throw new Error(`${path} is not a folder`)
    return new Folder(root)
  }

  /** Everything below `path`, sorted, at most 2000 entries. */
  async list(path = ".", recursive = true): Promise<{ entries: Entry[]; complete: boolean }> {
    const entries: Entry[] = []
    const visit = async (folder: string): Promise<void> => {
      const found = await readdir(folder, { withFileTypes: true })
      for (const item of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (entries.length >= MAX_ENTRIES) return
        const full = join(folder, item.name)
        if (item.isDirectory() && !SKIPPED.has(item.name)) {
          entries.push({ path: this.#name(full), kind: "folder", size: 0 })
          if (recursive) await visit(full)
        } else if (item.isFile()) {
          entries.push({ path: this.#name(full), kind: "file", size: (await stat(full)).size })
        }
      }
    }
    await visit(await this.#inside(path))
    return { entries, complete: entries.length < MAX_ENTRIES }
  }

  /** @throws for what is outside, missing, too large or no text. */
  async read(path: string): Promise<string> {
    const full = await this.#inside(path)
    const { size } = await stat(full)
    if (size > MAX_FILE_BYTES) throw new Error(`${path} is larger than ${MAX_FILE_BYTES} bytes`)
    const text = await readFile(full, "utf8")
    if (text.includes("\0")) throw new Error(`${path} is not a text file`)
    return text
  }

  async #inside(path: string): Promise<string> {
    const wanted = resolve(this.root, path)
    const full = await realpath(wanted).catch(() => {
      throw new Error(`There is no ${path} in this folder`)
    })
    const away = relative(this.root, full)
    if (away === ".." || away.startsWith(`..${sep}`) || isAbsolute(away)) {
      throw new Error(`${path} is outside the folder`)
    }
    return full
  }

  #name(full: string): string {
    return relative(this.root, full).split(sep).join("/")
  }
}
