/**
 * What a question asks for, as far as its words say. Pure: no folder, no clock.
 */

/** What the scripted model takes from a question. */
export interface Wish {
  /** Arithmetic to evaluate. */
  readonly expression: string | undefined
  /** A time is asked for; a zone where one is named. */
  readonly time: { readonly zone: string | undefined } | undefined
  /** A text to search for. */
  readonly search: string | undefined
  /** Words that may name files. */
  readonly names: readonly string[]
  readonly counts: boolean
  readonly sizes: boolean
  /** There is something about the folder in it at all. */
  readonly aboutFolder: boolean
}

const ZONES: Readonly<Record<string, string>> = {
  utc: "UTC",
  gmt: "UTC",
  london: "Europe/London",
  paris: "Europe/Paris",
  berlin: "Europe/Berlin",
  madrid: "Europe/Madrid",
  rome: "Europe/Rome",
  zurich: "Europe/Zurich",
  moscow: "Europe/Moscow",
  cairo: "Africa/Cairo",
  nairobi: "Africa/Nairobi",
  lagos: "Africa/Lagos",
  dubai: "Asia/Dubai",
  mumbai: "Asia/Kolkata",
  delhi: "Asia/Kolkata",
  singapore: "Asia/Singapore",
  shanghai: "Asia/Shanghai",
  beijing: "Asia/Shanghai",
  tokyo: "Asia/Tokyo",
  seoul: "Asia/Seoul",
  sydney: "Australia/Sydney",
  auckland: "Pacific/Auckland",
  "new york": "America/New_York",
  chicago: "America/Chicago",
  denver: "America/Denver",
  "los angeles": "America/Los_Angeles",
  "san francisco": "America/Los_Angeles",
  "são paulo": "America/Sao_Paulo",
}

const STOP_WORDS = new Set(
  `a about all an and any are as at be by can contain contains content contents count current date day describe did
  do does each exactly file files find folder folders for from give has have here how i in inside is it its lines list
  look many me mention mentions more most much named need now of on one or please read say says search show size
  summarise summarize tell text than that the their them there these this those time to today total up use used was
  what when where which who why will with word words you your large largest big biggest small smallest directory long
  longest line open project kind kinds been look want know explain first`.split(/\s+/),
)

export function readQuestion(question: string): Wish {
  const lower = question.toLowerCase()
  const quoted = /["“”'‘’`]([^"“”'‘’`]{2,})["“”'‘’`]/.exec(question)?.[1]
  const names = question.match(/[\p{L}\d_@/-]*[\p{L}\d_-]\.[a-z\d]{1,6}\b/giu) ?? []
  const expression = expressionIn(question)
  const time = /\b(time|date|clock|today|what day|weekday)\b/.test(lower)
    ? { zone: zoneIn(question) }
    : undefined
  const wordAfter =
    /\b(?:mentions?|contains?|containing|mentioning|search(?: for)?|grep|find(?: the (?:word|text))?|word|uses?|defines?|where (?:is|are|does))\s+(?:the |a |an |word |text )*([\p{L}\d_$.-]{2,})/iu.exec(
      question,
    )?.[1]
  const words = (lower.match(/[\p{L}\d_$-]{2,}/gu) ?? []).filter((word) => !STOP_WORDS.has(word))
  const searched = quoted ?? (wordAfter && !STOP_WORDS.has(wordAfter.toLowerCase()) ? wordAfter : undefined)
  const search = names.some((name) => name === searched) ? undefined : searched
  const counts = /\b(how many|count|number of)\b/.test(lower)
  const sizes = /\b(largest|biggest|smallest|size|sizes|bytes|large|big)\b/.test(lower)
  const otherwise = expression !== undefined || time !== undefined
  const aboutFolder =
    !otherwise ||
    names.length > 0 ||
    search !== undefined ||
    sizes ||
    /\b(files?|folders?|director(?:y|ies)|readme|project|here)\b/.test(lower)
  return { expression, time, search, names: [...names, ...words], counts, sizes, aboutFolder }
}

function expressionIn(question: string): string | undefined {
  const candidates =
    question.match(/(?:sqrt|abs|round|floor|ceil|ln|log|sin|cos|tan|pi|[\d.()\s+\-*/%^×÷])+/gi) ?? []
  return candidates
    .map((candidate) => candidate.trim().replace(/[.\s]+$/, ""))
    .filter(
      (candidate) =>
        /\d/.test(candidate) && /\d\s*[-+*/%^×÷]+\s*[\d(.a-z]|[a-z]\(|\)\s*[-+*/%^×÷]/i.test(candidate),
    )
    .sort((a, b) => b.length - a.length)[0]
}

function zoneIn(question: string): string | undefined {
  const named = /\b[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+\b/.exec(question)?.[0]
  if (named) return named
  const lower = question.toLowerCase()
  const [, zone] =
    Object.entries(ZONES).find(([place]) => new RegExp(`\\b${place}(?!\\p{L})`, "u").test(lower)) ?? []
  return zone
}
