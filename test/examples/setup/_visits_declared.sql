\ir _visits.sql
SELECT dp_protect('visits', epsilon => 20, delta => 1e-6);
SELECT dp_define_column('visits', 'sex', '{f,m}', complete => true),
	dp_define_column('visits', 'age', bins => '{0,18,20,40,60,65,90,120}'),
	dp_define_column('visits', 'ward', '{surgery,eye,heart}', complete => true),
	dp_define_column('visits', 'cost', bins => '{0,100,500,1000}'),
	dp_define_column('visits', 'diagnosis', '{diagnosis 0,diagnosis 1,diagnosis 2,diagnosis 3,diagnosis 4}');
