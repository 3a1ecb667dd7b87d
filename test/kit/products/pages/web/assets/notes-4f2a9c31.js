document.title = 'Notes, loaded';
