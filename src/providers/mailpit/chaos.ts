import type { Faults } from '../../faults/faults.ts'
import type { SmtpFault } from '../../faults/types.ts'
import type { Route } from '../../server/route.ts'
import { defineMailpitRoutes } from './define-routes.ts'
import { chaosBody, type TriggerInput } from './requests.ts'
import { chaosSchema, type Chaos, type Trigger } from './schema.ts'

const { get, put } = defineMailpitRoutes('Testing')

/** `/api/v1/chaos`: faults of SMTP by their probability. Other faults of the instance stay as they are. */
export function chaosRoutes(faults: Faults): Route[] {
  const current = async (): Promise<Chaos> => {
    const { smtp = [] } = (await faults.get()) ?? {}
    const triggerOf = (name: keyof Chaos): Trigger => {
      const found = smtp.find((fault) => isTrigger(fault) && fault.stage === stages[name])
      return found
        ? { ErrorCode: found.code ?? 0, Probability: Math.round(100 * (found.rate ?? 1)) }
        : { ErrorCode: defaultCodes[name], Probability: 0 }
    }
    return {
      Sender: triggerOf('Sender'),
      Recipient: triggerOf('Recipient'),
      Authentication: triggerOf('Authentication'),
    }
  }

  return [
    get('/api/v1/chaos', {
      summary: 'The triggers of SMTP errors',
      success: { schema: chaosSchema },
      handler: current,
    }),
    put('/api/v1/chaos', {
      summary: 'Set the triggers of SMTP errors; one that is left out is reset',
      body: { schema: chaosBody, anyType: true, optional: true },
      success: { schema: chaosSchema },
      async handler({ body }) {
        const now = await faults.get()
        const set = names.flatMap((name) => toFault(name, body[name]) ?? [])
        const smtp = [...(now?.smtp ?? []).filter((fault) => !isTrigger(fault)), ...set]
        await faults.set({ ...now, smtp })
        return current()
      },
    }),
  ]
}

const stages = { Sender: 'mail', Recipient: 'rcpt', Authentication: 'auth' } as const
const defaultCodes = { Sender: 451, Recipient: 451, Authentication: 535 } as const
const names = ['Sender', 'Recipient', 'Authentication'] as const

/** Whether a fault has the form of a trigger: a reply at one of the stages, any number of times. */
function isTrigger({ stage, code, count, delay_ms, disconnect }: SmtpFault): boolean {
  const isStage = Object.values(stages).some((one) => one === stage)
  return isStage && code !== undefined && count === undefined && !delay_ms && !disconnect
}

function toFault(name: keyof Chaos, { ErrorCode, Probability = 0 }: TriggerInput = {}): SmtpFault | null {
  if (Probability === 0) return null
  return { stage: stages[name], code: ErrorCode || defaultCodes[name], rate: Probability / 100 }
}
