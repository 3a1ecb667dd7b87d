const { name } = request.body;
const made = db.create('item', { name, price: 5 });
const changed = db.update('item', made.id, { price: 7 });
const seen = db.get('item', made.id);
const listed = db.query('item', { filter: { name }, limit: 5, select: ['name', 'price'] });
if (request.body.fail) throw new Error('after the write');
if (request.body.keep !== true) db.delete('item', made.id);
return { made, changed, seen, listed, gone: db.get('item', made.id) === null };
