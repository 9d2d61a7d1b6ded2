/** The PostgreSQL database that tests copy. */
export const templateName = 'relay_template';
