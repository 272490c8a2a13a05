/**
 * The page: an Agent that runs here, with tools that run here, and a model behind the server's proxy.
 */
import { Agent } from "@heddle/agent"
import { createProxyStreamFn } from "@heddle/proxy-client"
import type { AgentEvent, AgentMessage } from "@heddle/types"
import { Announcer } from "./announcer.ts"
import { Composer } from "./composer.ts"
import { Conversation } from "./conversation.ts"
import { find } from "./element.ts"
import { nameOf, openSession } from "./session.ts"
import { load, save } from "./storage.ts"
import { browserTools } from "./tools.ts"

const SYSTEM_PROMPT =
  "You are the guide of a web page. Your tools run in the reader's browser; state only what they say. Write plain text, without Markdown."

const welcome = find("#welcome", HTMLElement)
const picker = find("#model", HTMLSelectElement)
const newChat = find("#new-chat", HTMLButtonElement)
const conversation = new Conversation(find("#log", HTMLElement), find("#messages", HTMLElement))
const announcer = new Announcer(find("#status", HTMLElement))

await start().catch((error: Error) => conversation.note(error.message))

async function start(): Promise<void> {
  let session = await openSession()
  let running = false
  let keeps = true
  const saved = load()
  picker.append(...session.models.map((model) => new Option(model.name, nameOf(model))))
  picker.value = saved.model ?? ""
  if (picker.selectedIndex < 0) picker.value = session.model

  const agent = new Agent({
    streamFn: createProxyStreamFn({ proxyUrl: "", authToken: () => session.token }),
    initialState: { systemPrompt: SYSTEM_PROMPT, tools: browserTools, messages: saved.messages },
  })
  const composer = new Composer({
    send: (text) => (running ? queue("steer", text) : void run(text)),
    followUp: (text) => (running ? queue("followUp", text) : void run(text)),
    stop: () => agent.abort("Stopped by the reader"),
  })
  chooseModel()
  conversation.restore(saved.messages)
  welcome.hidden = saved.messages.length > 0
  // On a phone the focus would bring up the keyboard, and hide the page.
  if (matchMedia("(pointer: fine)").matches) composer.focus()

  agent.observe(conversation.show)
  agent.observe(announcer.hear)
  agent.observe(keep)
  picker.addEventListener("change", chooseModel)
  newChat.addEventListener("click", startOver)
  for (const suggestion of welcome.querySelectorAll("button")) {
    suggestion.addEventListener("click", () => {
      composer.focus()
      void run(suggestion.textContent)
    })
  }
  // Whoever leaves has stopped: what has arrived is kept, and the server hears of it.
  addEventListener("pagehide", () => agent.abort("The page was left"))

  async function run(text: string): Promise<void> {
    running = true
    welcome.hidden = true
    composer.showRunning(true)
    try {
      // The server may have been started anew, and takes no token of before.
      session = await openSession()
      await agent.prompt(text)
      // What was queued when the run had just ended is still to be answered.
      while (agent.hasQueuedMessages()) await agent.continue()
    } catch (error) {
      conversation.note((error as Error).message)
      composer.putBack([text])
    }
    running = false
    composer.showRunning(false)
  }

  function queue(how: "steer" | "followUp", text: string): void {
    agent[how](text)
    showWaiting()
    announcer.say(how === "steer" ? "Waits for the next step" : "Waits for the end")
  }

  function showWaiting(): void {
    const { steering, followUp } = agent.peekQueuedMessages()
    composer.showWaiting([
      ...steering.map((message) => `Next step: ${textOf(message)}`),
      ...followUp.map((message) => `Afterwards: ${textOf(message)}`),
    ])
  }

  function keep(event: AgentEvent): void {
    if (event.type === "message_start") showWaiting()
    else if (event.type === "message_end") saveAll()
    else if (event.type === "agent_end" && event.reason !== "completed") {
      const { steering, followUp } = agent.peekQueuedMessages()
      agent.clearAllQueues()
      composer.putBack([...steering, ...followUp].map(textOf))
      showWaiting()
    }
  }

  function saveAll(): void {
    const kept = save({ messages: agent.state.messages, model: picker.value })
    if (!kept && keeps) conversation.note("The browser has no room to keep this conversation.")
    keeps = kept
  }

  function chooseModel(): void {
    const model = session.models.find((each) => nameOf(each) === picker.value)
    agent.state.model = model
    agent.state.thinkingLevel = model?.reasoning ? "low" : "off"
    saveAll()
  }

  async function startOver(): Promise<void> {
    agent.clearAllQueues()
    agent.abort("A new chat was begun")
    await agent.waitForIdle()
    agent.reset()
    saveAll()
    conversation.restore([])
    showWaiting()
    welcome.hidden = false
    composer.focus()
  }
}

function textOf(message: AgentMessage): string {
  if (message.role !== "user") return ""
  if (typeof message.content === "string") return message.content
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")
}
