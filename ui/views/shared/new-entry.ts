import { ref, type Ref } from 'vue'
import type { RoomName } from '../../composables/rooms.ts'
import { useRoute } from '../../composables/route.ts'
import { useAction, type Action } from './action.ts'
import type { Paged } from './paged.ts'

/** Creates an entry of a room by its name. */
export interface NewEntry extends Pick<Action, 'busy' | 'problem'> {
  name: Ref<string>
  /** Makes it, shows it in the list and opens it. @returns Whether it was made. */
  create(): Promise<boolean>
}

/** @param make  Requests the creation of one with this name. */
export function useNewEntry(
  view: RoomName,
  list: Pick<Paged<unknown>, 'load'>,
  make: (name: string) => Promise<{ id: string }>,
): NewEntry {
  const { go } = useRoute()
  const { busy, problem, run } = useAction()
  const name = ref('')
  const create = (): Promise<boolean> =>
    run(async () => {
      const { id } = await make(name.value)
      name.value = ''
      await list.load()
      go({ view, id })
    })
  return { name, busy, problem, create }
}
