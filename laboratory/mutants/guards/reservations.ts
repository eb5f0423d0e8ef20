import { corePackages } from "../Trial.ts"
import type { Subject } from "./Subject.ts"

const orders = "packages/core/src/orders"

export const reservations: Subject = {
  name: "reservations",
  suite: { tests: [`${orders}/{Order,Reservations}.test.ts`], packages: corePackages },
  guards: [
    [`${orders}/Order.ts`, 'order.state === "draft" ? expiresAt : order.expiresAt', "expiresAt ?? order.expiresAt"],
    [`${orders}/Reservations.ts`, "Math.min(wanted, most)", "wanted"]
  ]
}
