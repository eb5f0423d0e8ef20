// Changes no table. From here on events may be stored in the forms 0 to d of `eventForms`, which earlier releases cannot read: that
// this migration is recorded keeps them from opening the file.
export const eventForms = `
SELECT 'events may be stored in the forms 0 to d';
`
