insert into suggestion (text)
values (:text)
returning text, status
