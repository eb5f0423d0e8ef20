import { allPackages, type Subject } from "./Subject.ts"

const server = "packages/http/src/server"

export const http: Subject = {
  name: "http",
  suite: {
    tests: [
      `${server}/request/{bodies,headers}.int.test.ts`,
      `${server}/transport/arrival.int.test.ts`,
      `${server}/transport/{NodeHttpRequest,ProtocolErrors,Connection,readInSlices}.test.ts`,
      `${server}/limits/{TimeSlicedQueue,WorkShares}.test.ts`,
      `${server}/limits/workShares.int.test.ts`,
      `${server}/transport/connections.int.test.ts`,
      `${server}/createHandler.int.test.ts`
    ],
    packages: allPackages
  },
  guards: [
    [
      `${server}/transport/NodeHttpRequest.ts`,
      "used(request.complete) && !used(request.aborted)",
      "used(request.complete)"
    ],
    [
      `${server}/transport/NodeHttpRequest.ts`,
      "done(hasArrived(request) ? undefined : endedTooEarly())",
      "done(undefined)"
    ],
    [
      `${server}/transport/NodeHttpRequest.ts`,
      "if (used(request.destroyed)) return Effect.fail(endedTooEarly())",
      "if (used(request.destroyed)) return Effect.void"
    ],
    [`${server}/transport/NodeHttpRequest.ts`, "this.expectsContinue || status === 408", "status === 408"],
    [`${server}/transport/NodeHttpRequest.ts`, "      this.closeConnection()", "      connection?.takeNoMore()"],
    [`${server}/transport/Connection.ts`, " || this.tasks.length > 0", ""],
    [`${server}/transport/readInSlices.ts`, "socket.writableNeedDrain || ", ""],
    [`${server}/transport/readInSlices.ts`, "connection.isTrusted && !isCrowded() ? unsentLimit : 1", "unsentLimit"],
    [`${server}/transport/readInSlices.ts`, " || !(queue.isFree() || isUrgent(chunk.subarray(at)))", ""],
    [`${server}/transport/readInSlices.ts`, "id !== undefined && shares.mustWait(id) ? id : undefined", "undefined"],
    [`${server}/routes/operationRoute.ts`, "shares.mustWait(id) ? goOn(shares.turn(id), next) : next()", "next()"],
    [
      `${server}/limits/WorkShares.ts`,
      "if (this.mustWait(id) || this.accountOf(id, this.now()).credit < 0) this.defer(id, task)\n    else",
      ""
    ],
    [
      `${server}/limits/WorkShares.ts`,
      "if (!isAtOnce && this.scheduled !== undefined) return",
      "if (this.scheduled !== undefined) return"
    ],
    [`${server}/limits/WorkShares.ts`, "if (id === this.served) return false", ""],
    [`${server}/limits/WorkShares.ts`, "if (id === strangers) return", ""],
    [`${server}/limits/WorkShares.ts`, "if (this.isMeasuring) return undefined", ""],
    [`${server}/limits/TimeSlicedQueue.ts`, " || (line === this.served && line.tasks.length === 0)", ""],
    [`${server}/routes/operationRoute.ts`, "return this.takesBody || !context.request.hasBody", "return true"],
    [`${server}/request/body.ts`, "context.closesConnection = true", ""],
    [`${server}/transport/nodeServer.ts`, "if (message !== undefined) connection.takeNoMore()", ""],
    [
      `${server}/transport/requestHead.ts`,
      'if (isHostRepeated || host?.includes(",")) return "A request has one Host header only."',
      ""
    ]
  ]
}
