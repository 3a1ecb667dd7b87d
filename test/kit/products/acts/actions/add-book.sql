insert into book (title, pages, price)
values (:title, :pages, :price)
returning id, title, pages, price, status
