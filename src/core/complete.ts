/** All members are required: views and new records return it, so that the compiler reports what lacks a new member. */
export type Complete<T> = { [Name in keyof Required<T>]: T[Name] }
