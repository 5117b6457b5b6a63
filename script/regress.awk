# Turns what pg_regress and pg_isolation_regress say into TAP. Since PostgreSQL 16
# they say TAP themselves, which passes through.

/^(not )?ok +[0-9]+/ || /^1\.\./ || /^Bail out!/ {
	print
	tap = 1
	next
}

# "test name   ... ok   12 ms", or in a parallel group "     name   ... FAILED"
/^(test | +).* \.\.\. +(ok|FAILED|failed)/ {
	name = $1 == "test" ? $2 : $1
	result = $0
	sub(/^.* \.\.\. +/, "", result)
	n++
	if (result ~ /ignored/)
		print "ok " n " - " name " # SKIP result is ignored"
	else
		print (result ~ /^ok/ ? "ok " : "not ok ") n " - " name
	next
}

{
	print "# " $0
}

END {
	if (!tap && n > 0)
		print "1.." n
}
