row.trail.push([event, 'from', from, 'to', to, 'by', principal.type].join(' '));
row.closed_by = 'script';
switch (row.mode) {
  case 'note':
    row.note_id = db.create('note', { text: 'closed', ticket: row.id }).id;
    break;
  case 'notes':
    for (let i = 0; i < 3; i++) db.create('note', { text: 'n' + i, ticket: row.id });
    break;
  case 'half':
    db.create('note', { text: 'half', ticket: row.id });
    throw new Error('after a note');
  case 'denied':
    db.create('note', { text: 'forbidden' });
    break;
  case 'caught':
    try {
      db.create('note', { text: 'forbidden' });
    } catch (e) {
      row.trail.push(e.status);
    }
    break;
  case 'throw':
    throw new Error('no');
  case 'loop':
    for (;;) {}
  case 'settle':
    await new Promise(() => {});
    break;
  case 'state':
    row.status = 'open';
    break;
  case 'id':
    row.id = '01JSKEP0000000000000000000';
    break;
  case 'self':
    db.update('ticket', row.id, { title: 'other' });
    break;
  case 'long':
    row.title = 'x'.repeat(99);
    break;
  case 'type':
    row.title = 5;
    break;
  case 'ref':
    row.note_id = '01JSKEP0000000000000000000';
    break;
  case 'hide':
    row.title = 'hidden';
    break;
  case 'unknown':
    row.stain = 1;
    break;
  case 'before':
    row.title = `${before.status} ${db.get('ticket', row.id).status}`;
    break;
  case 'same code':
    row.code = 'taken';
    break;
}
