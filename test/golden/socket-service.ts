import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { bodyOf, httpServer } from '../support/servers'
import { answerBody, answerHeaders } from './exchange'
import { type Answer, bytesOf, type Named } from './scenario'
import { type ScriptedService, script } from './script'

/** What a scenario can do to the program while it waits for an answer. */
export type Interrupt = (signal: 'SIGINT' | 'SIGTERM') => void

const repeatForever = (socket: Socket, chunk: Buffer): void => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

const afterwards = (socket: Socket, fault: Answer['fault'], body: Buffer): void => {
  switch (fault) {
    case 'end':
      socket.end()
      break
    case 'reset':
      // Time for the bytes before it to arrive: a reset throws away what is still on its way.
      setTimeout(() => socket.resetAndDestroy(), 20)
      break
    case 'endless':
      repeatForever(socket, body)
      break
    case 'stall':
    case undefined:
      break
  }
}

const play = (named: Named, answer: Answer, response: ServerResponse): void => {
  const body = answerBody(named, answer)
  const socket = response.socket
  if (answer.raw !== undefined) {
    socket?.write(bytesOf(named.folder, answer.raw))
    if (socket) afterwards(socket, answer.fault ?? 'end', body)
  } else if (answer.fault === undefined) {
    response.writeHead(answer.status ?? 200, answerHeaders(answer)).end(body)
  } else if (socket) {
    if (answer.status !== undefined) {
      response.writeHead(answer.status, answerHeaders(answer)).flushHeaders()
      if (body.length > 0) response.write(body)
    }
    afterwards(socket, answer.fault, body)
  }
}

/**
 * Answers a scenario on a real socket of its own. The bundle runs against this rather than
 * against interception inside the child: what travels is then what a service would see, faults
 * are the network's own, and nothing is loaded into the program under test.
 */
export const socketService = async (
  named: Named,
  interrupt: Interrupt,
): Promise<ScriptedService> => {
  const { next, problems } = script(named)
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    const played = next({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: Object.fromEntries(headers),
      body: (await bodyOf(request)).toString(),
    })
    play(named, played, response)
    if (played.signal !== undefined) interrupt(played.signal)
  }
  const { url, close } = await httpServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  return { baseUrl: url, close: () => close().then(problems) }
}
